"""What others wrote and we are held against: schemas, reference peers, real agents, hosts, the benchmark."""
