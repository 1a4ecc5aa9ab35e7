"""The verdict: what a learner's code answered, compared with what torch.autograd answers."""
