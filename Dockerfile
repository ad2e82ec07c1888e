# The official image for linux/amd64 and linux/arm64, without tags that move. For a mirror, give its name of this image:
# --build-arg NODE_IMAGE=mirror.example/library/node@sha256:…
ARG NODE_IMAGE=docker.io/library/node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE_IMAGE} AS npm
ARG NPM_REGISTRY=https://registry.npmjs.org/
# The build secret `ca` holds further CAs, in PEM. Without it, npm warns that the file is not there, and goes on.
ENV npm_config_registry=${NPM_REGISTRY} \
    NODE_EXTRA_CA_CERTS=/run/secrets/ca
WORKDIR /app
COPY package.json package-lock.json ./

FROM npm AS build
COPY client/package.json ./client/
COPY clone ./clone
RUN --mount=type=secret,id=ca npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json codegen.yml build.ts ./
COPY bin ./bin
COPY schema ./schema
COPY operations ./operations
COPY sandbox ./sandbox
COPY src ./src
RUN npm run build

FROM npm AS dependencies
RUN --mount=type=secret,id=ca npm ci --omit=dev --workspaces=false --no-audit --no-fund
# `npm sbom` fails where a package is listed and not installed.
RUN npm pkg delete devDependencies workspaces && npm sbom --sbom-format=cyclonedx > sbom.cdx.json

FROM dependencies AS dependencies-otel
RUN --mount=type=secret,id=ca \
    version=$(node -p 'require("./package-lock.json").packages["node_modules/@opentelemetry/sdk-node"].version') && \
    npm install --save-prod --save-exact --no-audit --no-fund @opentelemetry/sdk-node@$version
RUN npm sbom --sbom-format=cyclonedx > sbom.cdx.json

FROM ${NODE_IMAGE} AS runtime
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* \
    && cd /usr/local/bin && rm -f npm npx corepack yarn yarnpkg
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4000
WORKDIR /app
COPY LICENSE ./
COPY --from=build /app/dist ./dist
# The image's user `node`, by number: Kubernetes sees from it that it is not root. The files are root's.
USER 1000:1000
EXPOSE 4000
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# In this form no shell stands between, and node gets the SIGTERM that stops the container.
CMD ["node", "dist/src/main.js"]
ARG VERSION
ARG REVISION
ARG SOURCE
ARG CREATED
LABEL org.opencontainers.image.title="Sluice" \
      org.opencontainers.image.description="One GraphQL schema over a database-management and an observability REST interface" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.created="${CREATED}"

# With OpenTelemetry's SDK: --target otel
FROM runtime AS otel
COPY --from=dependencies-otel /app/sbom.cdx.json ./
COPY --from=dependencies-otel /app/node_modules ./node_modules

FROM runtime AS gateway
COPY --from=dependencies /app/sbom.cdx.json ./
COPY --from=dependencies /app/node_modules ./node_modules
