# Parley in one image:
#   docker build -t parley .
#   docker run --network host --read-only --tmpfs /tmp -v parley:/data -e PUBLIC_URL=https://… -e SECRET_KEY=… parley
# Without the host's network, publish the ports listed at EXPOSE and set MEDIA_ANNOUNCED_ADDRESS to the host's address.
# For machines with x86-64 and with ARM, with a list of the contents (SBOM) attached:
#   docker buildx build --platform linux/amd64,linux/arm64 --sbom=true --push -t registry.example.org/parley:0.1.0 .
#
# Both stages must have the same release of Debian: the media worker may be linked against its libraries. The digest is that of
# Node 24.18.0 for several architectures; Renovate proposes newer ones (.github/renovate.json).

ARG NODE_IMAGE=node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${NODE_IMAGE} AS build
WORKDIR /app
ENV PARLEY_CACHE_DIR=/var/cache/parley

# Packages and media worker change rarely. Only their inputs are copied here, so this layer is kept when the sources change.
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
COPY sdk/react/package.json sdk/react/
COPY server/console/package.json server/console/
COPY scripts/setup.mjs scripts/build.mjs scripts/
COPY scripts/setup scripts/setup
COPY platform/system platform/system
COPY media/worker media/worker
RUN node scripts/setup.mjs start

COPY . .
RUN node scripts/setup.mjs start \
 && node --import tsx scripts/packServer.mjs /packed \
 && npm run sbom


FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Parley" \
      org.opencontainers.image.description="A communications server: calls, conferences, streams, messages and one HTTP API" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# ffmpeg is for RTMP, HLS, recordings and files; the media worker may be linked against the libraries.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ffmpeg libabsl20220623 libsrtp2-1 libssl3 libuv1 \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o node -g node /data /files
WORKDIR /app
# Only what runs: the bundle, the packages that it imports, and the files that it reads.
COPY --from=build /packed/app ./
COPY --from=build /packed/cache /var/cache/parley
COPY --from=build /app/parley.cdx.json /usr/share/sbom/
RUN --mount=type=bind,source=scripts/sbom.mjs,target=/tmp/sbom.mjs \
    node /tmp/sbom.mjs --debian /usr/share/sbom/debian.cdx.json \
 && ! ldd mediasoup-worker | grep 'not found'

ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    DATA_DIR=/data \
    MEDIASOUP_WORKER_BIN=/app/mediasoup-worker \
    PARLEY_CACHE_DIR=/var/cache/parley
# The user "node" by its number: Kubernetes does not check a name against runAsNonRoot.
USER 1000:1000
VOLUME /data
# HTTP and Socket.IO; RTMP; media, one port for each worker (so for each core), UDP and TCP.
EXPOSE 3000 1935 20000-20063/udp 20000-20063/tcp
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", \
  "fetch(`http://${process.env.HOST.replace(/.*:.*/, '[$&]')}:${process.env.PORT || 3000}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 and takes SIGTERM itself: it drains, then exits. Allow that time (docker stop --time, DRAIN_SECONDS).
CMD ["node", "--enable-source-maps", "--max-semi-space-size=32", "server/dist/main.js"]
