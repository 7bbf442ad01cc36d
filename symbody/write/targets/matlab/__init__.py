"""The MATLAB and Octave target."""
