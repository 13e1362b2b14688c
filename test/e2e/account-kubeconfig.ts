import { readFileSync } from 'node:fs';
import type { Scene } from '../cluster/scene.ts';
import { fileWith } from '../support/plugin.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';

/** Creates a ClusterRole with these rules, and binds it to the subject. */
export async function grant(
  scene: Scene,
  name: string,
  rules: readonly object[],
  subject: object,
): Promise<void> {
  const metadata = { name };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  await scene.create({ apiVersion, kind: 'ClusterRole', metadata, rules });
  await scene.create({ apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects: [subject] });
}

/** A kubeconfig with the token of a new ServiceAccount that has these permissions. @param kubeconfig of another user. */
export async function accountKubeconfig(
  scene: Scene,
  name: string,
  rules: readonly object[],
  kubeconfig: string,
): Promise<string> {
  const { client, namespace } = scene;
  await scene.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
  await grant(scene, `${name}-${namespace}`, rules, { kind: 'ServiceAccount', name, namespace });
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { token } = JSON.parse((await client.request('POST', path, request)).body).status;
  const config = JSON.parse(readFileSync(kubeconfig, 'utf8'));
  return fileWith(
    JSON.stringify({ ...config, users: [{ ...config.users[0], user: { token } }] }),
    'kubeconfig',
  );
}
