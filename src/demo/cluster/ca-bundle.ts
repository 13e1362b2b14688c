const certificate = `-----BEGIN CERTIFICATE-----
MIIBSDCB7qADAgECAgEBMAoGCCqGSM49BAMCMBoxGDAWBgNVBAMTD2RlbW8gd2Vi
aG9vayBDQTAgFw0yNDAxMDEwMDAwMDBaGA8yMTI0MDEwMTAwMDAwMFowGjEYMBYG
A1UEAxMPZGVtbyB3ZWJob29rIENBMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
/FBwL77+opaU+O2wdYVRsI0TK+yLDrMv7ZTVXMKfDtpg+3dcNh4or6N83U8FY0cd
xNZdgFGDSh2ojpb8MYxtaaMjMCEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8E
BAMCAgQwCgYIKoZIzj0EAwIDSQAwRgIhANfGppLweCqp689YLvasbh2UVOP0Codv
frIp+oKfGPc5AiEA4zw+MOnqlCvQkgWROIlIBbgtDI98bbvTFJfIeLzQ24o=
-----END CERTIFICATE-----
`;

/** The CA that demo webhooks name: a certificate of nobody in particular, CN=demo webhook CA, until 2124. base64. */
export const caBundle = Buffer.from(certificate).toString('base64');
