#!/bin/sh
#SBATCH --job-name=labelpipe --array=0-3 --cpus-per-task=2 --mem=4G
# As a Slurm array: each task does its part of the folder, by --shard auto.   sbatch slurm.sh PIPELINE FOLDER OUTPUT
# A task that is run again goes on where it was ended.
set -eu
exec labelpipe run "$1" "$2" --recursive --output "$3" --shard auto --resume --report "$3.$SLURM_ARRAY_TASK_ID.ndjson"
