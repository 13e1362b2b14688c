/**
 * The flags that a wrapper may pass to a plugin: every flag of kubectl that selects no other cluster or
 * credential.
 */
export const wrapperFlags = (kubeconfig: string): readonly string[] => {
  const flags = ['--as=admin', '--as-group=system:masters', '--as-uid=1', '--as-user-extra=a=b'];
  const values = ['--as-user-extra', 'c=d', '--tls-server-name', 'localhost', '--request-timeout=20s'];
  const ignored = ['--cache-dir=/nowhere', '--disable-compression=true', '--match-server-version=false'];
  const more = ['--warnings-as-errors', '--kuberc', '/nowhere', '--log-flush-frequency=5s', '-v=1'];
  const profile = ['--profile=none', '--profile-output=/nowhere', '--vmodule=a=1', '-n', 'default', '-A'];
  return ['--kubeconfig', kubeconfig, ...flags, ...values, ...ignored, ...more, ...profile];
};
