import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { build } from 'esbuild';
import about from '../../package.json' with { type: 'json' };
import { cached, contentKey } from './cache.ts';
import { goProgram } from './go-program.ts';
import { kubectlBinary } from './kubectl.ts';
import { run } from './run-command.ts';

/** References under which the images are imported; use `imagePullPolicy: Never`. */
export const pauseImage = 'localhost/pause:1';
export const backendImage = 'localhost/webhook-backend:1';
export const kubectlImage = 'localhost/kubectl:1';
export const leaderCacheImage = 'localhost/leader-cache:1';
/** As in the chart and the examples. */
const programImage = `ghcr.io/kubectl-webhook/kubectl-webhook:${about.version}`;

const thisArch = process.arch === 'arm64' ? 'arm64' : 'amd64';

const repository = join(import.meta.dirname, '../..');

/** OCI archive of the process that holds a Pod's namespaces. */
export async function pauseArchive(): Promise<string> {
  const source = readFileSync(join(import.meta.dirname, 'pause/main.go'));
  const entry = await cached('image-pause', contentKey(source, process.arch), async (folder) => {
    const program = join(folder, 'pause');
    await run('go', ['build', '-trimpath', '-ldflags=-s -w', '-o', program, 'pause/main.go'], {
      cwd: import.meta.dirname,
      env: { CGO_ENABLED: '0' },
    });
    await writeArchive(join(folder, 'image.tar'), {
      reference: pauseImage,
      entrypoint: ['/pause'],
      files: { '/pause': program },
    });
  });
  return join(entry, 'image.tar');
}

/** OCI archive of kubectl, with the entry point of the image that the Kubernetes project publishes. */
export async function kubectlArchive(): Promise<string> {
  const program = await kubectlBinary();
  const entry = await cached('image-kubectl', contentKey(program), async (folder) => {
    await writeArchive(join(folder, 'image.tar'), {
      reference: kubectlImage,
      entrypoint: ['/bin/kubectl'],
      files: { '/bin/kubectl': program },
    });
  });
  return join(entry, 'image.tar');
}

/**
 * OCI archive of the controller-runtime program in leader-cache/main.go; only suites that run it import it.
 */
export async function leaderCacheArchive(): Promise<string> {
  const program = await goProgram('leader-cache', ['-ldflags=-s -w', '.'], 'installed');
  const entry = await cached('image-leader-cache', contentKey(program), async (folder) => {
    await writeArchive(join(folder, 'image.tar'), {
      reference: leaderCacheImage,
      entrypoint: ['/leader-cache'],
      files: { '/leader-cache': program },
    });
  });
  return join(entry, 'image.tar');
}

/** OCI archive of the webhook backend: this Node, its libraries, and test/cluster/backend bundled. */
export async function backendArchive(): Promise<string> {
  const bundle = await build({
    entryPoints: [join(repository, 'test/cluster/backend/main.ts')],
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    write: false,
  });
  const program = Buffer.from(bundle.outputFiles[0]?.contents ?? []);
  const node = realpathSync(process.execPath);
  const key = contentKey(program, process.version, String(statSync(node).size), process.arch);
  const entry = await cached('image-backend', key, async (folder) => {
    const script = join(folder, 'backend.mjs');
    writeFileSync(script, program);
    const libraries = await linkedLibraries(node);
    await writeArchive(join(folder, 'image.tar'), {
      reference: backendImage,
      entrypoint: ['/usr/bin/node', '/backend.mjs'],
      files: {
        '/usr/bin/node': node,
        '/backend.mjs': script,
        ...Object.fromEntries(libraries.map((library) => [library, library])),
      },
    });
  });
  return join(entry, 'image.tar');
}

/** OCI archive of a base for the image of `serve` without a download: the libraries of the program. */
async function baseArchive(program: string, architecture: string): Promise<string> {
  const linked = await linkedLibraries(program);
  const libraries = architecture === thisArch ? linked : linked.map(ofArm64);
  const key = contentKey(...libraries.map((library) => readFileSync(library)), architecture);
  const entry = await cached('image-base', key, (folder) =>
    writeArchive(join(folder, 'image.tar'), {
      reference: 'localhost/base:1',
      architecture,
      entrypoint: [],
      files: Object.fromEntries(
        libraries.map((library) => [library.replace('/usr/aarch64-linux-gnu', ''), library]),
      ),
    }),
  );
  return join(entry, 'image.tar');
}

/**
 * Builds the image of the Dockerfile with buildah from the released archives in dist/; the base holds the libraries of
 * that processor. OUTPUT becomes an archive for `ctr images import`.
 */
export async function buildProgramImage(output: string, arch = thisArch): Promise<void> {
  const work = mkdtempSync(join(dirname(output), 'buildah-'));
  const storage = ['--storage-driver', 'vfs', '--root', join(work, 'root'), '--runroot', join(work, 'run')];
  const folder = join(repository, 'dist');
  try {
    await run(process.execPath, [join(repository, 'scripts/release/release.ts'), `linux_${arch}`]);
    await run('tar', ['-xzf', join(folder, `kubectl-webhook_linux_${thisArch}.tar.gz`), '-C', work]);
    await run('buildah', [
      ...storage,
      ...['build', '--isolation', 'chroot', '--platform', `linux/${arch}`, '--tag', programImage],
      ...['--build-arg', `BASE=oci-archive:${await baseArchive(join(work, 'kubectl-webhook'), arch)}`],
      ...['-f', join(repository, 'Dockerfile'), folder],
    ]);
    await run('buildah', [...storage, 'push', programImage, `docker-archive:${output}:${programImage}`]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

let program: Promise<string> | undefined;

/** Archive of the image for this machine from this tree; built once in a test run. */
export function programArchive(): Promise<string> {
  program ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-image-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    await buildProgramImage(join(folder, 'image.tar'));
    return join(folder, 'image.tar');
  })();
  return program;
}

/** The path of the same library in Debian's packages for cross-compilers. */
const ofArm64 = (library: string): string =>
  join(
    '/usr/aarch64-linux-gnu/lib',
    basename(library).replace('ld-linux-x86-64.so.2', 'ld-linux-aarch64.so.1'),
  );

/** Absolute paths of the libraries that the loader loads, and of the loader; the vDSO has no file. */
async function linkedLibraries(program: string): Promise<string[]> {
  const lines = (await run('ldd', [program])).split('\n');
  return lines.flatMap((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1] ?? []);
}

interface ImageContent {
  readonly reference: string;
  /** Default: that of this machine. */
  readonly architecture?: string;
  readonly entrypoint: readonly string[];
  /** Path in the image → local file; links are followed. */
  readonly files: Readonly<Record<string, string>>;
}

/** One-layer image in the OCI layout (opencontainers/image-spec image-layout.md), as a tar for `ctr images import`. */
async function writeArchive(archive: string, content: ImageContent): Promise<void> {
  const work = mkdtempSync(join(dirname(archive), 'work-'));
  const root = join(work, 'root');
  const blobs = join(work, 'layout/blobs/sha256');
  for (const folder of ['tmp', 'etc', 'proc', 'sys', 'dev'])
    mkdirSync(join(root, folder), { recursive: true });
  mkdirSync(blobs, { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/\n');
  for (const [target, source] of Object.entries(content.files)) {
    const file = join(root, target);
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(source, file);
    chmodSync(file, statSync(source).mode | 0o444);
  }
  const layerTar = join(work, 'layer.tar');
  const reproducible = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  await run('tar', [...reproducible, '-cf', layerTar, '-C', root, '.']);
  const digest = createHash('sha256');
  await pipeline(createReadStream(layerTar), digest);
  const layerHash = digest.digest('hex');
  const layer = { digest: `sha256:${layerHash}`, size: statSync(layerTar).size };
  renameSync(layerTar, join(blobs, layerHash));

  const put = (value: unknown) => {
    const bytes = Buffer.from(JSON.stringify(value));
    const hash = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(blobs, hash), bytes);
    return { digest: `sha256:${hash}`, size: bytes.length };
  };
  const config = put({
    architecture: content.architecture ?? thisArch,
    os: 'linux',
    config: { Entrypoint: content.entrypoint },
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
  });
  const manifest = put({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
    layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...layer }],
  });
  const layout = join(work, 'layout');
  writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(
    join(layout, 'index.json'),
    JSON.stringify({
      schemaVersion: 2,
      manifests: [
        {
          mediaType: 'application/vnd.oci.image.manifest.v1+json',
          ...manifest,
          annotations: {
            'io.containerd.image.name': content.reference,
            'org.opencontainers.image.ref.name': content.reference,
          },
        },
      ],
    }),
  );
  await run('tar', ['-cf', archive, '-C', layout, '.']);
  rmSync(work, { recursive: true });
}
