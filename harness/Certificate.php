<?php

/** A certificate for 127.0.0.1 that is signed by itself, so that it is its own authority, and its key. */

declare(strict_types=1);

namespace RedLock\Harness;

final class Certificate
{
    public readonly string $file;
    private readonly string $key;

    public function __construct()
    {
        $folder = TempFolder::make();
        $this->file = "$folder/certificate.pem";
        $this->key = "$folder/key.pem";
        $make = ['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
            '-days', '1', '-subj', '/CN=test', '-addext', 'subjectAltName=IP:127.0.0.1',
            '-keyout', $this->key, '-out', $this->file];
        exec(implode(' ', array_map(escapeshellarg(...), $make)) . ' 2>&1', $said, $status);
        if ($status !== 0) {
            throw new \RuntimeException("openssl makes no certificate: " . implode("\n", $said));
        }
    }

    /** @return array<string, string|int> settings of a server that listens with it on a port besides */
    public function settings(int $port): array
    {
        return [
            'tls-port' => $port,
            'tls-cert-file' => $this->file,
            'tls-key-file' => $this->key,
            'tls-ca-cert-file' => $this->file,
            'tls-auth-clients' => 'no',
        ];
    }
}
