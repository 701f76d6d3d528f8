package chart

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// hasFiles reports whether the container of the pod has the files of the Secret in the directory.
func hasFiles(pod *corev1.PodTemplateSpec, directory, secret string) bool {
	return slices.ContainsFunc(pod.Spec.Containers[0].VolumeMounts, func(mount corev1.VolumeMount) bool {
		return mount.MountPath == directory && mount.ReadOnly &&
			slices.ContainsFunc(pod.Spec.Volumes, func(volume corev1.Volume) bool {
				return volume.Name == mount.Name && volume.Secret != nil && volume.Secret.SecretName == secret
			})
	})
}

// With secret.redisTLS and secret.databaseTLS, every pod that gets the URL of the store finds the files where
// values.yaml says, and no other does.
func TestTLSFiles_AreMountedWhereTheURLIsKnown(t *testing.T) {
	t.Parallel()
	for _, set := range sets {
		for component, pod := range install(t, set).pods() {
			for store, variable := range map[string]string{"database": "TOLLGATE_DATABASE_URL",
				"redis": "TOLLGATE_REDIS_URL"} {
				connects := slices.ContainsFunc(pod.Spec.Containers[0].Env, func(v corev1.EnvVar) bool {
					return v.Name == variable
				})
				want := set == "everything" && connects
				if found := hasFiles(&pod, "/etc/tollgate/"+store, store+"-certificates"); found != want {
					t.Errorf("%s: %s has the files of the %s %t, want %t", set, component, store, found, want)
				}
			}
		}
	}
}
