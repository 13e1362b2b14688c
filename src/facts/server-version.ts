/** `v1.35.4`, `v1.33.5-gke.1080000`, `1.35+` → 35; undefined when nobody could read the version. */
export function minorVersion(version: string | undefined): number | undefined {
  const minor = /^v?1\.(\d+)/.exec(version ?? '')?.[1];
  return minor === undefined ? undefined : Number(minor);
}

/** True from Kubernetes 1.`minor` on; a version that is not known counts as a current one. */
export const atLeast = (version: string | undefined, minor: number): boolean =>
  (minorVersion(version) ?? Number.POSITIVE_INFINITY) >= minor;
