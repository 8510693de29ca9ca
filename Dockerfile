# docker build --tag transcript-egress .
# docker run --rm -p 8080:8080 -p 8081:8081 transcript-egress demo
ARG JDK_IMAGE=eclipse-temurin:25-jdk
ARG BASE_IMAGE=debian:13-slim

FROM ${JDK_IMAGE} AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.m2,sharing=locked \
    ./mvnw -B -q -pl standalone -am -Dmaven.test.skip=true -Dspotless.check.skip=true package && \
    deploy/layout --with-runtime /image
# Files that change with every build are in their own layer, above the libraries.
RUN mkdir -p /changing/lib && cd /image && mv egress LICENSE *.md deploy docs /changing && mv lib/egress-*.jar /changing/lib

FROM ${BASE_IMAGE}
# The PostgreSQL of up and demo wants its user to have a name.
RUN echo egress:x:10001: >>/etc/group && echo egress:x:10001:10001::/tmp:/usr/sbin/nologin >>/etc/passwd
COPY --from=build /image /opt/egress
COPY --from=build /changing /opt/egress
COPY --chmod=755 deploy/image/healthy /usr/local/bin/
ENV PATH=/opt/egress:$PATH LANG=C.UTF-8
# Half of the container's memory is heap; network buffers, threads and code use the rest.
ENV JAVA_OPTS=-XX:MaxRAMPercentage=50
# Within the container only: docker-compose.yml publishes port 8081 to the host's loopback alone.
ENV EGRESS_PUBLIC_HOST=0.0.0.0 EGRESS_PUBLIC_PORT=8080 EGRESS_INTERNAL_HOST=0.0.0.0 EGRESS_INTERNAL_PORT=8081
# The cache of both roles, and the classes of commands. The embedded broker's cache would be as large, for the demo alone.
RUN egress train && egress --version && test -e /opt/egress/egress-runtime.jsa && \
    rm -rf /opt/egress/aot/broker.aot /var/cache/transcript-egress /tmp/*
USER 10001:10001
WORKDIR /tmp
EXPOSE 8080 8081
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 CMD ["healthy"]
ENTRYPOINT ["egress"]
