# All images for all architectures, for engines with buildx:
#
#   make image-context ARCHS='amd64 arm64'
#   REGISTRY=registry.example.com/ docker buildx bake -f deploy/images/docker-bake.hcl --push
#
# REGISTRY ends in a slash, or is empty.
variable "REGISTRY" { default = "" }
variable "VERSION" { default = "devel" }

group "default" { targets = ["relay", "console", "worker", "standalone"] }

target "all" {
  context    = "bin/images"
  dockerfile = "../../deploy/images/Dockerfile"
  platforms  = ["linux/amd64", "linux/arm64"]
  args       = { VERSION = VERSION }
}

target "relay" {
  inherits = ["all"]
  target   = "relay"
  tags     = ["${REGISTRY}tollgate/relay:${VERSION}"]
}

target "console" {
  inherits = ["all"]
  target   = "console"
  tags     = ["${REGISTRY}tollgate/console:${VERSION}"]
}

target "worker" {
  inherits = ["all"]
  target   = "worker"
  tags     = ["${REGISTRY}tollgate/worker:${VERSION}"]
}

target "standalone" {
  inherits = ["all"]
  target   = "standalone"
  tags     = ["${REGISTRY}tollgate/standalone:${VERSION}"]
}
