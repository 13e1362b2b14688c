// Command leader-cache is an operator with a webhook, made with controller-runtime as its book says, and with a defect
// that is common in life: the webhook answers from what a controller has collected, the webhook runs on every replica,
// and the controller on the leader alone. On the others the collection is empty, and they deny what the leader allows.
//
// A tenant is a ConfigMap with the label example.com/tenant-record. Another ConfigMap says with the label
// example.com/tenant whose it is; a tenant that nobody has recorded is refused.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const (
	tenant = "example.com/tenant"
	record = "example.com/tenant-record"
)

// tenants is what the controller has collected.
type tenants struct {
	client.Client
	mutex sync.RWMutex
	names map[string]bool
}

func (t *tenants) Reconcile(_ context.Context, request ctrl.Request) (ctrl.Result, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.names[request.Name] = true
	return ctrl.Result{}, nil
}

func (t *tenants) knows(name string) bool {
	t.mutex.RLock()
	defer t.mutex.RUnlock()
	return t.names[name]
}

// review refuses tenants that are not recorded; strict: and objects that name none.
func review(known *tenants, decoder admission.Decoder, strict bool) admission.HandlerFunc {
	return func(_ context.Context, request admission.Request) admission.Response {
		object := &core.ConfigMap{}
		if err := decoder.Decode(request, object); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		name, named := object.Labels[tenant]
		if _, isRecord := object.Labels[record]; isRecord || !named && !strict {
			return admission.Allowed("")
		}
		if !named {
			return admission.Denied(fmt.Sprintf("the label %s is required", tenant))
		}
		if !known.knows(name) {
			return admission.Denied(fmt.Sprintf("tenant %q is not known", name))
		}
		return admission.Allowed("")
	}
}

func main() {
	strict := flag.Bool("strict", false, "refuse objects that name no tenant")
	lease := flag.String("lease", "leader-cache", "name of the Lease")
	namespace := flag.String("watch", "", "namespace of the tenants")
	certificates := flag.String("cert-dir", "/certs", "folder with tls.crt and tls.key")
	flag.Parse()
	ctrl.SetLogger(klog.Background())
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		LeaderElection:         true,
		LeaderElectionID:       *lease,
		HealthProbeBindAddress: ":8081",
		Metrics:                server.Options{BindAddress: "0"},
		Cache:                  cache.Options{DefaultNamespaces: map[string]cache.Config{*namespace: {}}},
		// Longer than a test runs: a cache that cannot be filled is waited for.
		Controller:    config.Controller{CacheSyncTimeout: time.Hour},
		WebhookServer: webhook.NewServer(webhook.Options{Port: 8443, CertDir: *certificates}),
	})
	fail(err)
	known := &tenants{Client: manager.GetClient(), names: map[string]bool{}}
	isRecord := predicate.NewPredicateFuncs(func(object client.Object) bool {
		_, is := object.GetLabels()[record]
		return is
	})
	fail(ctrl.NewControllerManagedBy(manager).
		For(&core.ConfigMap{}, builder.WithPredicates(isRecord)).
		WithOptions(controller.Options{MaxConcurrentReconciles: 1}).
		Complete(known))
	handler := review(known, admission.NewDecoder(manager.GetScheme()), *strict)
	manager.GetWebhookServer().Register("/validate", &admission.Webhook{Handler: handler})
	fail(manager.AddReadyzCheck("webhook", manager.GetWebhookServer().StartedChecker()))
	fail(manager.AddHealthzCheck("ping", healthz.Ping))
	fail(manager.Start(ctrl.SetupSignalHandler()))
}

func fail(err error) {
	if err != nil {
		klog.Background().Error(err, "cannot go on")
		os.Exit(1)
	}
}
