{{- define "egress.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "egress.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "egress.name" .) .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "egress.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "egress.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "egress.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* Labels of every object. With a list of the root and a role, those of the role's objects. */}}
{{- define "egress.labels" -}}
{{- $root := index . 0 -}}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
{{ include "egress.selector" . }}
{{- end }}

{{- define "egress.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "egress.name" $root }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- if gt (len .) 1 }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}
{{- end }}

{{- define "egress.image" -}}
{{- with .Values.image.registry }}{{ trimSuffix "/" . }}/{{ end }}{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}

{{/* What selects the series of this release, whatever else Prometheus scrapes. */}}
{{- define "egress.series" -}}
namespace="{{ .Release.Namespace }}",service=~"{{ include "egress.fullname" . }}-(api|dispatcher)-internal"
{{- end }}

{{- define "egress.dispatchersMax" -}}
{{- default (int .Values.topics.partitions) (int .Values.dispatcher.autoscaling.maxReplicas) }}
{{- end }}

{{- define "egress.validate" -}}
{{- $most := int .Values.topics.partitions -}}
{{- $scaling := .Values.dispatcher.autoscaling -}}
{{- $asked := ternary (int (include "egress.dispatchersMax" .)) (int .Values.dispatcher.replicas) $scaling.enabled -}}
{{- if gt $asked $most }}
{{- fail (printf "%d dispatchers are more than the %d partitions of topics.partitions: some would be idle" $asked $most) }}
{{- end }}
{{- if and $scaling.enabled (gt (int $scaling.minReplicas) $asked) }}
{{- fail "dispatcher.autoscaling.minReplicas is more than the most replicas there can be" }}
{{- end }}
{{- if and $scaling.enabled (not $scaling.prometheusAddress) }}
{{- fail "dispatcher.autoscaling needs prometheusAddress" }}
{{- end }}
{{- if and .Values.api.autoscaling.enabled (gt (int .Values.api.autoscaling.minReplicas) (int .Values.api.autoscaling.maxReplicas)) }}
{{- fail "api.autoscaling.minReplicas is more than maxReplicas" }}
{{- end }}
{{- end }}

{{/* The environment of a role: a list of the root and the role. No setting is named twice. */}}
{{- define "egress.env" -}}
{{- $root := index . 0 -}}
{{- $role := index . 1 -}}
{{- $values := index $root.Values $role -}}
{{- $plain := dict
    "EGRESS_INTERNAL_HOST" $root.Values.listenAddress
    "EGRESS_INTERNAL_PORT" 8081
    "EGRESS_PUBLIC_HOST" $root.Values.listenAddress
    "EGRESS_PUBLIC_PORT" 8080
    "EGRESS_KAFKA_BOOTSTRAP" (required "kafka.bootstrap is required" $root.Values.kafka.bootstrap)
    "EGRESS_TOPIC_PARTITIONS" $root.Values.topics.partitions
    "EGRESS_SHUTDOWN_TIMEOUT" (printf "%ds" (int $root.Values.shutdownSeconds)) -}}
{{- if and (eq $role "api") $values.tls.existingSecret }}
{{- $_ := set $plain "EGRESS_TLS_CERTIFICATE" "/etc/egress/tls/tls.crt" }}
{{- $_ := set $plain "EGRESS_TLS_KEY" "/etc/egress/tls/tls.key" }}
{{- end }}
{{- range $name, $file := $root.Values.files }}
{{- $_ := set $plain $name (printf "/etc/egress/%s/%s" ($name | lower | replace "_" "-") $file.key) }}
{{- end }}
{{- $config := merge (dict) $values.config $root.Values.config -}}
{{- range $name, $value := $config }}
{{- if hasKey $plain $name }}
{{- fail (printf "config.%s has a value of its own: see values.yaml" $name) }}
{{- end }}
{{- $_ := set $plain $name $value }}
{{- end }}
{{- range $name, $value := $plain }}
{{- if not (hasKey $root.Values.secrets $name) }}
- name: {{ $name }}
  value: {{ ternary (printf "%d" (int64 (ternary $value 0 (kindIs "float64" $value)))) (toString $value) (kindIs "float64" $value) | quote }}
{{- end }}
{{- end }}
{{- range $name, $secret := $root.Values.secrets }}
{{- if and $secret (eq $role (default $role $secret.only)) }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ default $root.Values.existingSecret $secret.name }}
      key: {{ $secret.key }}
      {{- if $secret.optional }}
      optional: true
      {{- end }}
{{- end }}
{{- end }}
{{- with $values.javaToolOptions }}
- name: JAVA_TOOL_OPTIONS
  value: {{ . | quote }}
{{- end }}
{{- with $values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The pod of a role: a list of the root and the role. */}}
{{- define "egress.pod" -}}
{{- $root := index . 0 -}}
{{- $role := index . 1 -}}
{{- $values := index $root.Values $role -}}
{{- $tls := and (eq $role "api") $values.tls.existingSecret -}}
{{- $preStop := ternary (int $values.preStopSeconds) 0 (eq $role "api") -}}
metadata:
  labels:
    {{- include "egress.labels" . | nindent 4 }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "egress.serviceAccountName" $root }}
  automountServiceAccountToken: false
  # Kubernetes would add EGRESS_... variables for services of such a name, and the service refuses settings that it does not know.
  enableServiceLinks: false
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  # Above EGRESS_SHUTDOWN_TIMEOUT, so that work in progress is not cut off.
  terminationGracePeriodSeconds: {{ add (int $root.Values.shutdownSeconds) 10 $preStop }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: {type: RuntimeDefault}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- if $values.topologySpreadConstraints }}
    {{- toYaml $values.topologySpreadConstraints | nindent 4 }}
    {{- else }}
    {{- $spread := . }}
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "egress.selector" $spread | nindent 10 }}
      matchLabelKeys: [pod-template-hash]
    {{- end }}
    {{- end }}
  containers:
    - name: {{ $role }}
      image: {{ include "egress.image" $root | quote }}
      args: [{{ $role }}]
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        privileged: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      env:
        {{- include "egress.env" . | trim | nindent 8 }}
      ports:
        {{- if eq $role "api" }}
        - {name: public, containerPort: 8080, protocol: TCP}
        {{- end }}
        - {name: internal, containerPort: 8081, protocol: TCP}
      # The listener opens once the schema is up to date and, for a dispatcher, topics are there. A process that is not up within five
      # minutes ends by itself.
      startupProbe:
        httpGet: {path: /health/live, port: internal}
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 165
      livenessProbe:
        httpGet: {path: /health/live, port: internal}
        periodSeconds: 10
        timeoutSeconds: 3
        failureThreshold: 6
      readinessProbe:
        httpGet: {path: /health/ready, port: internal}
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 3
      {{- if $preStop }}
      lifecycle:
        preStop:
          exec: {command: [sleep, {{ $preStop | quote }}]}
      {{- end }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
        {{- if $tls }}
        - {name: tls, mountPath: /etc/egress/tls, readOnly: true}
        {{- end }}
        {{- range $name, $file := $root.Values.files }}
        {{- $volume := $name | lower | replace "_" "-" }}
        - {name: {{ $volume }}, mountPath: /etc/egress/{{ $volume }}, readOnly: true}
        {{- end }}
        {{- with $values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {sizeLimit: 128Mi}
    {{- if $tls }}
    - name: tls
      secret: {secretName: {{ $values.tls.existingSecret }}, defaultMode: 0440}
    {{- end }}
    {{- range $name, $file := $root.Values.files }}
    - name: {{ $name | lower | replace "_" "-" }}
      {{- if $file.secret }}
      secret: {secretName: {{ $file.secret }}, defaultMode: 0440, items: [{key: {{ $file.key | quote }}, path: {{ $file.key | quote }}}]}
      {{- else }}
      configMap: {name: {{ $file.configMap }}, items: [{key: {{ $file.key | quote }}, path: {{ $file.key | quote }}}]}
      {{- end }}
    {{- end }}
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}

{{- define "egress.publicPort" -}}
{{- default (ternary 443 80 (ne .Values.api.tls.existingSecret "")) (int .Values.service.port) }}
{{- end }}
