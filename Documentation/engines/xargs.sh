#!/bin/sh
# By xargs: as many runs beside each other as there are cores, some pictures each.   xargs.sh PIPELINE FOLDER OUTPUT
set -eu
pipeline=$1 folder=$2 output=$3
find "$folder" -type f \( -iname '*.jpg' -o -iname '*.png' \) -print0 |
    xargs -0 -n 50 -P "$(nproc)" labelpipe run "$pipeline" --output "$output" --skip-existing --jobs 1 --progress none --
