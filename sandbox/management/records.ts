/** A Service on the wire: all 25 documented members. */
export type Service = {
  readonly id: string;
  readonly name: string;
  readonly engineVersion: string | null;
  readonly endpoints: readonly Endpoint[];
  readonly minTotalMemoryGb: number | null;
  readonly maxTotalMemoryGb: number | null;
  readonly minReplicaMemoryGb: number | null;
  readonly maxReplicaMemoryGb: number | null;
  readonly numReplicas: number;
  readonly idleScaling: boolean;
  readonly idleTimeoutMinutes: number | null;
  readonly ipAccessList: readonly AccessEntry[];
  readonly createdAt: string;
  readonly encryptionKey: string | null;
  readonly encryptionAssumedRoleIdentifier: string | null;
  readonly iamRole: string | null;
  readonly privateEndpointIds: readonly string[];
  readonly availablePrivateEndpointIds: readonly string[];
  readonly dataWarehouseId: string | null;
  readonly isPrimary: boolean | null;
  readonly isReadonly: boolean;
  readonly byocId: string | null;
  readonly hasTransparentDataEncryption: boolean;
  readonly transparentDataEncryptionKeyId: string | null;
  readonly encryptionRoleId: string | null;
};

/** An address of a service. */
export type Endpoint = {
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
  readonly username: string | null;
};

/** A row of an ipAccessList. */
export type AccessEntry = { readonly source: string; readonly description: string };

/** An Organization on the wire. */
export type Organization = {
  readonly id: string;
  readonly createdAt: string;
  readonly name: string;
  readonly privateEndpoints: readonly PrivateEndpoint[];
  readonly byocConfig: readonly { readonly id: string; readonly accountName: string }[];
};

/** A private endpoint of an organization. */
export type PrivateEndpoint = { readonly id: string; readonly description: string };

/** An Invitation on the wire. */
export type Invitation = {
  readonly id: string;
  readonly email: string;
  readonly createdAt: string;
  readonly expireAt: string;
};

/** A backup configuration on the wire; `backupStartTime` is `HH:MM`, in UTC. */
export type BackupConfiguration = {
  readonly backupPeriodInHours: number;
  readonly backupRetentionPeriodInHours: number;
  readonly backupStartTime: string | null;
};
