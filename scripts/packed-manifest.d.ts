export function packedManifest(manifest: object): Readonly<Record<string, unknown>>;
