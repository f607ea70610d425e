"""By Spark: partitions of job lines go through a worker each.   spark-submit spark.py JOBS.ndjson VERDICTS"""

import os
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("labelpipe").getOrCreate()
jobs = spark.sparkContext.textFile(sys.argv[1], minPartitions=spark.sparkContext.defaultParallelism)
# Without `env` the program is started with none: no PATH to find it by, no HOME with its fonts.
jobs.pipe("labelpipe worker --jobs 1", env=dict(os.environ), checkCode=True).saveAsTextFile(sys.argv[2])
spark.stop()
