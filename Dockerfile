FROM node:24.21.0-slim

ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4000

WORKDIR /app

# The image brings Node itself, so the optional packages that carry it are left out.
COPY package.json package-lock.json ./
COPY clone ./clone
RUN npm ci --omit=dev --omit=optional --workspace=clone --include-workspace-root --no-audit --no-fund && npm cache clean --force

COPY schema ./schema
COPY operations ./operations
COPY src ./src

# The image's user `node`, by number: Kubernetes sees from it that it is not root. The files are root's.
USER 1000:1000
EXPOSE 4000

HEALTHCHECK --interval=30s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# In this form no shell stands between, and node gets the SIGTERM that stops the container.
CMD ["node", "src/main.ts"]
