{{- define "kubectl-webhook.name" -}}
{{- .Release.Name | replace "." "-" -}}
{{- end -}}

{{- define "kubectl-webhook.selector" -}}
app.kubernetes.io/name: kubectl-webhook
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "kubectl-webhook.labels" -}}
{{ include "kubectl-webhook.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Cluster-wide objects of two releases must not meet. */}}
{{- define "kubectl-webhook.clusterName" -}}
{{- printf "%s:%s" .Release.Namespace (include "kubectl-webhook.name" .) -}}
{{- end -}}
