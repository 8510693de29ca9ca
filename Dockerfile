# docker build --target api -t egress-api .
# docker build --target dispatcher -t egress-dispatcher .
ARG JDK_IMAGE=eclipse-temurin:25-jdk
ARG JRE_IMAGE=eclipse-temurin:25-jre

FROM ${JDK_IMAGE} AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.m2,sharing=locked \
    ./mvnw -B -q -pl api,dispatcher,cli,standalone -am -Dmaven.test.skip=true -Dspotless.check.skip=true package
RUN for role in api dispatcher; do \
      mkdir -p /image/$role-licenses && cp -r deploy/licenses/. cli/target/licenses/. $role/target/licenses/. /image/$role-licenses && \
      find /image/$role-licenses -type d -empty -delete; \
    done
# Files that change with every build are in their own layer, above the libraries.
RUN for role in api dispatcher; do \
      mkdir -p /image/$role/opt/egress/app && mv $role/target/lib /image/$role-lib && \
      mv $role/target/egress-*.jar /image/$role-lib/egress-*.jar /image/$role/opt/egress/app/; \
    done
RUN mkdir -p /image/cli && mv cli/target/egress-cli-*.jar cli/target/lib/*.jar /image/cli/ && mv cli/target/buckets /image/buckets
RUN mv standalone/target/lib /image/training && mv deploy/jvm /image/jvm
# The native TLS engine is on disk: otherwise it would be unpacked into /tmp, where a read-only container cannot execute anything.
RUN mkdir -p /image/native && cd /image/native && \
    for jar in /image/dispatcher-lib/netty-tcnative-boringssl-static-*-linux-*.jar; do jar xf $jar META-INF/native; done && \
    mv META-INF/native/*.so . && rm -r META-INF

FROM ${JRE_IMAGE} AS role
COPY --chmod=755 deploy/image/healthy deploy/image/egress /usr/local/bin/
COPY --from=build /image/cli /opt/egress/cli
COPY --from=build /image/buckets /opt/egress/buckets
COPY --from=build /image/jvm /opt/egress/jvm
# Within the container only: docker-compose.yml publishes this port to the host's loopback alone.
ENV EGRESS_INTERNAL_HOST=0.0.0.0
EXPOSE 8081
USER 10001:10001
WORKDIR /tmp
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 CMD ["healthy"]

# A training run makes the cache of the role, with its class path in an order that does not depend on a file system.
FROM role AS api
COPY --from=build /image/api-lib /opt/egress/lib
COPY --from=build /image/api-licenses /opt/egress/licenses
COPY --from=build /image/native /opt/egress/native
COPY --from=build /image/api /
USER 0:0
RUN egress archive
RUN --mount=type=bind,from=build,source=/image/training,target=/training \
    --mount=type=bind,source=deploy/image/train,target=/train /train api io.egress.api.ApiMain
USER 10001:10001
EXPOSE 8080
ENTRYPOINT ["java", "@/opt/egress/jvm/common", "@/opt/egress/jvm/api", "@/opt/egress/jvm/image", \
    "-XX:AOTCache=/opt/egress/service.aot", "-Xlog:aot*=off", "io.egress.api.ApiMain"]

FROM role AS dispatcher
COPY --from=build /image/dispatcher-lib /opt/egress/lib
COPY --from=build /image/dispatcher-licenses /opt/egress/licenses
COPY --from=build /image/native /opt/egress/native
COPY --from=build /image/dispatcher /
USER 0:0
RUN --mount=type=bind,from=build,source=/image/training,target=/training \
    --mount=type=bind,source=deploy/image/train,target=/train /train dispatcher io.egress.dispatcher.DispatcherMain
USER 10001:10001
ENTRYPOINT ["java", "@/opt/egress/jvm/common", "@/opt/egress/jvm/dispatcher", "@/opt/egress/jvm/image", \
    "-XX:AOTCache=/opt/egress/service.aot", "-Xlog:aot*=off", "io.egress.dispatcher.DispatcherMain"]
