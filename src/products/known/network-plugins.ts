/** Labels of the Pods that network plugins run on each node. */
export const networkPluginSelectors = [
  'k8s-app in (aws-node,calico-node,canal,cilium,flannel,kindnet,kube-router,azure-cns)',
  'app in (antrea,flannel,kindnet,kube-ovn-cni,ovnkube-node)',
] as const;
