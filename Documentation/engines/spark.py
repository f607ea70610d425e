"""By Spark: partitions of job lines go through a worker each.   spark-submit spark.py JOBS.ndjson VERDICTS"""

import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("labelpipe").getOrCreate()
jobs = spark.sparkContext.textFile(sys.argv[1], minPartitions=spark.sparkContext.defaultParallelism)
jobs.pipe("labelpipe worker --jobs 1", checkCode=True).saveAsTextFile(sys.argv[2])
spark.stop()
