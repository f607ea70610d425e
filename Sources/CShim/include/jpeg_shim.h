/* libjpeg-turbo behind calls that return: its error handling leaves by longjmp, which must not cross a Swift frame. */
#pragma once
