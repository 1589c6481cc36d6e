# An MCP server on stdio for one mounted directory:
#   docker build -t codecompass .
#   docker run -i --rm -v "$PWD:/workspace:ro" -v codecompass:/data codecompass
FROM node:24-slim AS build
WORKDIR /app
COPY . .
# Installing also builds (the prepare script); afterwards only what runs is kept.
RUN npm install --no-audit --no-fund && npm prune --omit=dev --ignore-scripts

FROM node:24-slim
# Branches other than the checked-out one are read with git. The mounted repository belongs to somebody else than the
# user in here, which git refuses unless told; it is only ever read.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends git \
  && rm -rf /var/lib/apt/lists/* \
  && git config --system --add safe.directory '*' \
  && mkdir /workspace \
  && install --directory --owner=node --group=node --mode=700 /data
COPY --from=build /app/package.json /app/LICENSE /app/THIRD_PARTY_NOTICES /app/
COPY --from=build /app/bin /app/bin
COPY --from=build /app/dist /app/dist
COPY --from=build /app/node_modules /app/node_modules
ENV CODECOMPASS_HOME=/data
USER node
VOLUME /data
WORKDIR /workspace
ENTRYPOINT ["node", "/app/bin/codecompass.js"]
CMD ["serve-mcp", "--workspace", "/workspace"]
