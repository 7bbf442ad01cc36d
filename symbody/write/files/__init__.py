"""Files of models, motions and pictures: model files, archives, glTF, films."""
