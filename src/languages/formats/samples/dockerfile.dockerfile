ARG NODE_VERSION=24
# Installs and builds.
FROM node:${NODE_VERSION} AS build
ENV CI=1
WORKDIR /app
RUN npm ci && npm run build

FROM build as test
RUN npm test

FROM --platform=linux/amd64 node:24-slim
COPY --from=build /app/dist /app
RUN <<END
FROM nothing
END
