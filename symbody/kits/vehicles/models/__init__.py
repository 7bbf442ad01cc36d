"""Whole vehicles: single track, car, car and trailer, motorcycle, rail vehicles.

Parameters, tyres and roads in, a `Model` out.
"""
