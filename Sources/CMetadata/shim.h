#pragma once
#include <libexif/exif-data.h>
#include <exempi/xmp.h>
#include <exempi/xmpconsts.h>
