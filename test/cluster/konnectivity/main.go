// Command konnectivity is both ends of the tunnel between a control plane and its nodes, as their releases build them:
// `konnectivity server …` and `konnectivity agent …`.
package main

import (
	"fmt"
	"os"

	agent "sigs.k8s.io/apiserver-network-proxy/cmd/agent/app"
	agentOptions "sigs.k8s.io/apiserver-network-proxy/cmd/agent/app/options"
	server "sigs.k8s.io/apiserver-network-proxy/cmd/server/app"
	serverOptions "sigs.k8s.io/apiserver-network-proxy/cmd/server/app/options"
)

func main() {
	end := "neither server nor agent"
	if len(os.Args) > 1 {
		end = os.Args[1]
		os.Args = append(os.Args[:1], os.Args[2:]...)
	}
	var err error
	switch end {
	case "server":
		options := serverOptions.NewProxyRunOptions()
		command := server.NewProxyCommand(&server.Proxy{}, options)
		command.Flags().AddFlagSet(options.Flags())
		err = command.Execute()
	case "agent":
		options := agentOptions.NewGrpcProxyAgentOptions()
		command := agent.NewAgentCommand(&agent.Agent{}, options)
		command.Flags().AddFlagSet(options.Flags())
		err = command.Execute()
	default:
		err = fmt.Errorf("%s", end)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
