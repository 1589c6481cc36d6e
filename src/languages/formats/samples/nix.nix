{ pkgs ? import <nixpkgs> { } }:
let
  version = "1.2";
  # Builds one.
  build = { name, src }: pkgs.mkDerivation {
    inherit name;
    buildPhase = ''
      hidden = 1;
    '';
  };
  add = a: b: a + b;
in
{
  shop = build { name = "shop"; src = ./.; };
}
