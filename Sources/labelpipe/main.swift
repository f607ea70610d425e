print("labelpipe")
