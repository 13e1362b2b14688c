//go:build tools

// Package build names the commands, so that `go mod tidy` keeps what they need.
package build

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
)
