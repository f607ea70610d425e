#!/bin/sh
# By GNU parallel: job lines are dealt out to workers, verdicts come back.   parallel.sh PIPELINE FOLDER OUTPUT > verdicts.ndjson
set -eu
pipeline=$1 folder=$2 output=$3
find "$folder" -type f \( -iname '*.jpg' -o -iname '*.png' \) |
    sed -e 's/[\\"]/\\&/g' -e "s|.*|{\"pipeline\":\"$pipeline\",\"input\":\"&\",\"output\":\"$output/\"}|" |
    parallel --pipe --line-buffer -N 50 --jobs "$(nproc)" labelpipe worker --jobs 1
