# The released executable and nothing else: no shell, no package manager, not root. The context is dist/, which
# `npm run release -- linux_amd64 linux_arm64` fills:
#   buildah build --platform linux/amd64,linux/arm64 --manifest kubectl-webhook -f Dockerfile dist
# Nothing runs while it is built, so that either architecture builds on any machine, and only the base is downloaded.
ARG BASE=gcr.io/distroless/cc-debian12:nonroot
FROM ${BASE}
ARG TARGETARCH
# Also the licences, and the bill of materials.
ADD kubectl-webhook_linux_${TARGETARCH}.tar.gz /usr/local/bin/
ENV PATH=/usr/local/bin
USER 65532:65532
EXPOSE 8443
ENTRYPOINT ["/usr/local/bin/kubectl-webhook"]
CMD ["serve"]
