FROM node:24.21.0-slim

ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4000

WORKDIR /app

# The image brings Node itself, so the optional packages that carry it are left out.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --workspaces=false --no-audit --no-fund && npm cache clean --force

COPY schema ./schema
COPY src ./src

# What Node compiles at the first start is kept for the later ones, also where the file system is
# read-only then. A start needs no upstream to be there.
RUN mkdir node_modules/.cache && chown node:node node_modules/.cache
USER node
RUN MANAGEMENT_URL=http://127.0.0.1:9 OBSERVABILITY_URL=http://127.0.0.1:9 \
  timeout --signal=TERM 10 node --import ./src/preload.js src/main.ts || [ $? -eq 124 ]
EXPOSE 4000

HEALTHCHECK --interval=30s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

CMD ["node", "--import", "./src/preload.js", "src/main.ts"]
