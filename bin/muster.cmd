@node "%~dp0..\bootstrap.mjs" muster %*
