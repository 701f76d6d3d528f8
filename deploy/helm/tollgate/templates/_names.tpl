{{- define "tollgate.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* The labels that select the pods of a program; the argument is (list . "relay"). */ -}}
{{- define "tollgate.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "tollgate.labels" -}}
{{- $root := index . 0 -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end -}}

{{- define "tollgate.image" -}}
{{- $root := index . 0 -}}
{{- $image := $root.Values.image -}}
{{- with $image.registry }}{{ . }}/{{ end -}}
{{- with $image.repository }}{{ . }}/{{ end -}}
{{ index . 1 }}:{{ $image.tag | default $root.Chart.AppVersion }}
{{- with index $image.digests (index . 1) }}@{{ . }}{{ end }}
{{- end -}}

{{- /* The annotations of what the migration needs: made before the Job of migrations, and deleted after it. */ -}}
{{- define "tollgate.beforeMigration" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: "-5"
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{- define "tollgate.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "tollgate.fullname" .) }}
{{- end -}}

{{- /* The name of the Secret. Rendering fails when a required secret is missing. */ -}}
{{- define "tollgate.secret" -}}
{{- $secret := .Values.secret -}}
{{- if $secret.existingSecret -}}
{{- if $secret.values }}{{ fail "secret: give existingSecret or values, not both" }}{{ end -}}
{{ $secret.existingSecret }}
{{- else -}}
{{- $required := list "TOLLGATE_DATABASE_URL" "TOLLGATE_REDIS_URL" "TOLLGATE_SECRET_KEY" -}}
{{- if $secret.databaseRoles -}}
{{- $required = concat $required (list "TOLLGATE_DATABASE_URL_RELAY" "TOLLGATE_DATABASE_URL_CONSOLE" "TOLLGATE_DATABASE_URL_WORKER") -}}
{{- end -}}
{{- range $name := $required -}}
{{- if not (index $secret.values $name) -}}
{{- fail (printf "secret: set secret.existingSecret, or secret.values.%s; there are no default credentials" $name) -}}
{{- end -}}
{{- end -}}
{{ include "tollgate.fullname" . }}
{{- end -}}
{{- end -}}
