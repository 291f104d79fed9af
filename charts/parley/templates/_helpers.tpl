{{/* The name of all objects of this release. */}}
{{- define "parley.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* The labels by which Services and policies select the pods. They never change. */}}
{{- define "parley.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "parley.labels" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "parley.secret" -}}
{{ .Values.existingSecret | default (include "parley.name" .) }}
{{- end }}

{{/* The first port after the media ports of all pods. */}}
{{- define "parley.mediaEnd" -}}
{{ add .Values.media.port (mul .Values.replicas .Values.media.workers) }}
{{- end }}

{{/* Refuses values that the schema cannot judge, because they depend on each other. */}}
{{- define "parley.check" -}}
{{- $values := .Values }}
{{- if not $values.publicUrl }}{{ fail "publicUrl: required. Set the address users open, such as https://calls.example.org" }}{{ end }}
{{- if and $values.existingSecret $values.secret }}{{ fail "secret: not used together with existingSecret. Put these values into the Secret, or unset existingSecret" }}{{ end }}
{{- if not $values.existingSecret }}
  {{- if lt (len (toString ($values.secret.SECRET_KEY | default ""))) 32 }}{{ fail "secret.SECRET_KEY: required, at least 32 characters. Generate one with: openssl rand -hex 32. Or name a Secret with it in existingSecret" }}{{ end }}
  {{- if gt (int $values.replicas) 1 }}
    {{- range list "DATABASE_URL" "REDIS_URL" }}
      {{- if not (get $values.secret .) }}{{ fail (printf "secret.%s: required with more than one replica" .) }}{{ end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- if and (gt (int $values.replicas) 1) (not $values.files.existingClaim) (not $values.settings.S3_BUCKET) }}{{ fail "files.existingClaim: with more than one replica all pods need the same files. Name a ReadWriteMany claim, or set settings.S3_BUCKET and its keys" }}{{ end }}
{{- range $name, $value := $values.settings }}
  {{- if has $name (list "SECRET_KEY" "DATABASE_URL" "REDIS_URL") }}{{ fail (printf "settings.%s: is secret. Move it to secret or to the Secret that existingSecret names" $name) }}{{ end }}
  {{- if has $name (list "HOST" "PORT" "PUBLIC_URL" "DATA_DIR" "FILES_DIR" "CLUSTER_HOST" "CLUSTER_PORT" "PIPE_PORTS" "DRAIN_SECONDS" "MEDIA_PORT" "MEDIA_WORKERS" "MEDIA_ANNOUNCED_ADDRESS" "RTMP_PORT" "METRICS_PORT" "NODE_ENV" "PARLEY_CACHE_DIR" "MEDIASOUP_WORKER_BIN") }}{{ fail (printf "settings.%s: the chart sets it. See the other values in values.yaml" $name) }}{{ end }}
{{- end }}
{{- $addresses := len $values.media.announcedAddresses }}
{{- if and (gt $addresses 0) (lt $addresses (int $values.replicas)) }}{{ fail (printf "media.announcedAddresses: has %d entries for %d replicas. Add one for each pod" $addresses (int $values.replicas)) }}{{ end }}
{{- if and (eq $values.media.service.type "LoadBalancer") (eq $addresses 0) }}{{ fail "media.announcedAddresses: required with media.service.type LoadBalancer: the address of each pod's load balancer" }}{{ end }}
{{- $last := sub (int (include "parley.mediaEnd" .)) 1 }}
{{- if gt (int $last) 65535 }}{{ fail (printf "media.port: %d replicas of %d workers would need ports up to %d, above 65535. Choose a lower port" (int $values.replicas) (int $values.media.workers) (int $last)) }}{{ end }}
{{- range $name, $range := dict "the ports between pods" (list 19000 19999) "HTTP" (list 3000 3000) "the links between pods" (list 3900 3900) "metrics" (list 9464 9464) "RTMP" (list 1935 1935) }}
  {{- if and (le (int $values.media.port) (index $range 1)) (ge (int $last) (index $range 0)) }}{{ fail (printf "media.port: the ports %d to %d of the media workers include those of %s. Choose another port" (int $values.media.port) (int $last) $name) }}{{ end }}
{{- end }}
{{- if and $values.metrics.serviceMonitor.enabled (not $values.metrics.enabled) }}{{ fail "metrics.serviceMonitor.enabled: needs metrics.enabled" }}{{ end }}
{{- end }}
