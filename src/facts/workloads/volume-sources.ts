import type { KeyToPath, Volume } from '../objects/pod.ts';

/** A Secret, a ConfigMap or a CSI driver that provides files of a volume. */
export interface VolumeSource {
  readonly kind: 'Secret' | 'ConfigMap' | 'CSI';
  /** Of the object in the Pod's namespace, or of the CSI driver. */
  readonly name?: string | undefined;
  /** The file of each key; absent: every key, under its own name. */
  readonly items?: readonly KeyToPath[] | undefined;
  /** The Pod starts without it. */
  readonly optional?: boolean | undefined;
}

/** The sources of a volume, those of a projected volume one by one. */
export function volumeSources({ secret, configMap, projected, csi }: Volume): readonly VolumeSource[] {
  const own = { secret: secret && { ...secret, name: secret.secretName }, configMap };
  return [
    ...[own, ...(projected?.sources ?? [])].flatMap((source): readonly VolumeSource[] => [
      ...(source.secret ? [{ ...source.secret, kind: 'Secret' as const }] : []),
      ...(source.configMap ? [{ ...source.configMap, kind: 'ConfigMap' as const }] : []),
    ]),
    ...(csi ? [{ kind: 'CSI' as const, name: csi.driver }] : []),
  ];
}

/** Names of the Secrets that provide files of these volumes. */
export const secretsOfVolumes = (volumes: readonly Volume[] | undefined): readonly string[] =>
  (volumes ?? [])
    .flatMap(volumeSources)
    .flatMap(({ kind, name }) => (kind === 'Secret' && name !== undefined ? [name] : []));
