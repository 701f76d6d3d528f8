{{- /* The ports of the programs: the service port, and the operations port. */ -}}
{{- define "tollgate.opsPort" -}}
{{ get (dict "relay" "8082" "console" "8083" "worker" "8084") . }}
{{- end -}}

{{- define "tollgate.httpPort" -}}
{{ get (dict "relay" "8080" "console" "8081") . }}
{{- end -}}

{{- define "tollgate.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .Values.podSecurity.runAsUser }}
runAsGroup: {{ .Values.podSecurity.runAsGroup }}
fsGroup: {{ .Values.podSecurity.fsGroup }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "tollgate.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- /* Where a container has the files for TLS to its stores, if the values name them: (list . "database" "redis"). */ -}}
{{- define "tollgate.tlsMounts" -}}
{{- $secret := (first .).Values.secret -}}
{{- range $store := rest . }}
{{- if index $secret (printf "%sTLS" $store) }}
- name: {{ $store }}-tls
  mountPath: /etc/tollgate/{{ $store }}
  readOnly: true
{{- end }}
{{- end }}
{{- end -}}

{{- /* The volumes of these files. */ -}}
{{- define "tollgate.tlsVolumes" -}}
{{- $secret := (first .).Values.secret -}}
{{- range $store := rest . }}
{{- with index $secret (printf "%sTLS" $store) }}
- name: {{ $store }}-tls
  secret:
    secretName: {{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* One variable from the Secret: (list SECRET NAME OPTIONAL). */ -}}
{{- define "tollgate.secretVariable" -}}
- name: {{ index . 1 }}
  valueFrom:
    secretKeyRef:
      name: {{ index . 0 }}
      key: {{ index . 1 }}
      {{- if index . 2 }}
      optional: true
      {{- end }}
{{- end -}}

{{- define "tollgate.env" -}}
{{- $root := index . 0 -}}
{{- $program := index . 1 -}}
{{- $values := index $root.Values $program -}}
{{- $secret := include "tollgate.secret" $root -}}
{{- $database := "TOLLGATE_DATABASE_URL" -}}
{{- if $root.Values.secret.databaseRoles -}}
{{- $database = printf "TOLLGATE_DATABASE_URL_%s" (upper $program) -}}
{{- end }}
- name: TOLLGATE_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ $secret }}
      key: {{ $database }}
{{- /* Of the programs, only relays need a session of their own. */ -}}
{{- if eq $program "relay" }}
- name: TOLLGATE_DATABASE_DIRECT_URL
  valueFrom:
    secretKeyRef:
      name: {{ $secret }}
      key: {{ ternary "TOLLGATE_DATABASE_DIRECT_URL_RELAY" "TOLLGATE_DATABASE_DIRECT_URL" $root.Values.secret.databaseRoles }}
      optional: true
{{- end }}
{{- range list "TOLLGATE_REDIS_URL" "TOLLGATE_SECRET_KEY" }}
{{ include "tollgate.secretVariable" (list $secret . false) }}
{{- end }}
{{- range $values.optionalSecretKeys }}
{{ include "tollgate.secretVariable" (list $secret . true) }}
{{- end }}
- name: TOLLGATE_OPS_ADDR
  value: ":{{ include "tollgate.opsPort" $program }}"
{{- /* Probes and Prometheus use addresses of pods, which are always permitted. People may use the service. */ -}}
{{- if not (or (hasKey ($root.Values.config | default dict) "TOLLGATE_OPS_HOSTS") (hasKey ($values.config | default dict) "TOLLGATE_OPS_HOSTS")) }}
{{- $service := printf "%s-%s-pods" (include "tollgate.fullname" $root) $program }}
- name: TOLLGATE_OPS_HOSTS
  value: {{ printf "%s,%[1]s.%[2]s,%[1]s.%[2]s.svc,%[1]s.%[2]s.svc.cluster.local" $service $root.Release.Namespace }}
{{- end }}
{{- /* The NetworkPolicy lets consoles reach the relays' pods, but perhaps not the Ingress of TOLLGATE_RELAY_URL. */ -}}
{{- if and (eq $program "console") (not (or (hasKey ($root.Values.config | default dict) "TOLLGATE_PLAYGROUND_RELAY_URL") (hasKey ($values.config | default dict) "TOLLGATE_PLAYGROUND_RELAY_URL"))) }}
- name: TOLLGATE_PLAYGROUND_RELAY_URL
  value: "http://{{ include "tollgate.fullname" $root }}-relay:{{ $root.Values.relay.service.port }}"
{{- end }}
{{- if ne $program "worker" }}
- name: TOLLGATE_{{ upper $program }}_ADDR
  value: ":{{ include "tollgate.httpPort" $program }}"
{{- end }}
- name: TOLLGATE_DATA_DIR
  value: /data
- name: TOLLGATE_DRAIN_TIMEOUT
  value: {{ $values.drainSeconds }}s
{{- range $name, $value := $values.config }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- if eq $program "worker" }}
{{- /* Consoles and workers deliver mail, with the same variables. */ -}}
{{- range $name := list "TOLLGATE_CONSOLE_URL" "TOLLGATE_MAIL_FROM" }}
{{- with index ($root.Values.console.config | default dict) $name }}
- name: {{ $name }}
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- with $values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* The nodes that a pod may run on. The argument is the values of the program, or of the migrations. */ -}}
{{- define "tollgate.placement" -}}
{{- range $key := list "nodeSelector" "tolerations" "affinity" }}
{{- with index $ $key }}
{{ $key }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* The pod of a program: (list . "relay"). */ -}}
{{- define "tollgate.pod" -}}
{{- $root := index . 0 -}}
{{- $program := index . 1 -}}
{{- $values := index $root.Values $program -}}
metadata:
  labels:
    {{- include "tollgate.labels" . | nindent 4 }}
  annotations:
    # Pods are replaced when their configuration changes.
    checksum/config: {{ toYaml $root.Values.config | sha256sum }}
    checksum/secret: {{ toYaml $root.Values.secret | sha256sum }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "tollgate.serviceAccount" $root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  # Time to leave the load balancers, to drain, and 15 s to record the spool and exit.
  terminationGracePeriodSeconds: {{ add $values.preStopSeconds $values.drainSeconds 15 }}
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- include "tollgate.podSecurity" $root | nindent 4 }}
  containers:
    - name: {{ $program }}
      image: {{ include "tollgate.image" . }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: [serve]
      envFrom:
        - configMapRef:
            name: {{ include "tollgate.fullname" $root }}
      env:
        {{- include "tollgate.env" . | trim | nindent 8 }}
      ports:
        {{- if ne $program "worker" }}
        - name: http
          containerPort: {{ include "tollgate.httpPort" $program }}
        {{- end }}
        - name: ops
          containerPort: {{ include "tollgate.opsPort" $program }}
      # A program waits for the database and its schema before it answers.
      startupProbe:
        httpGet: {path: /healthz, port: ops}
        periodSeconds: 2
        failureThreshold: 300
      livenessProbe:
        httpGet: {path: /healthz, port: ops}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: {path: /readyz, port: ops}
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      {{- if $values.preStopSeconds }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ $values.preStopSeconds }}
      {{- end }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      securityContext:
        {{- include "tollgate.containerSecurity" . | nindent 8 }}
      {{- $mounts := include "tollgate.tlsMounts" (list $root "database" "redis") | trim }}
      {{- if or (eq $program "relay") $mounts }}
      volumeMounts:
        {{- if eq $program "relay" }}
        - name: data
          mountPath: /data
        {{- end }}
        {{- with $mounts }}
        {{- . | nindent 8 }}
        {{- end }}
      {{- end }}
  {{- with include "tollgate.tlsVolumes" (list $root "database" "redis") | trim }}
  volumes:
    {{- . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "tollgate.selector" (list $root $program) | nindent 10 }}
    {{- end }}
  {{- with include "tollgate.placement" $values | trim }}
  {{- . | nindent 2 }}
  {{- end }}
{{- end -}}
