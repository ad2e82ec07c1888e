import { result } from '../support/harness.ts';
import { describeOperations } from '../support/operation-row.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const organizationPath = '/v1/organizations/0a9a0000-0000-4000-8000-000000000001';
const servicePath = `${organizationPath}/services/5e4c0000-0000-4000-8000-000000000001`;

const organization = {
  id: organizationId,
  createdAt: '2025-02-03T08:30:00Z',
  name: 'Größe & Co',
  privateEndpoints: [{ id: 'vpce-1', description: 'office' }],
  byocConfig: [{ id: 'byoc-1', accountName: 'account' }],
};
const organizationFields =
  'id createdAt name privateEndpoints { id description } byocConfig { id accountName }';

const service = {
  id: serviceId,
  name: 'production',
  engineVersion: '25.8',
  endpoints: [{ protocol: 'https', host: 'db.example', port: 8443, username: 'default' }],
  minTotalMemoryGb: 48,
  maxTotalMemoryGb: 360,
  minReplicaMemoryGb: 16,
  maxReplicaMemoryGb: 120,
  numReplicas: 3,
  idleScaling: true,
  idleTimeoutMinutes: 15,
  ipAccessList: [{ source: '192.0.2.0/24', description: 'office' }],
  createdAt: '2025-02-03T09:00:00.5+01:00',
  encryptionKey: 'key-reference',
  encryptionAssumedRoleIdentifier: 'role-reference',
  iamRole: 'arn:aws:iam::1:role/db',
  privateEndpointIds: ['vpce-1'],
  availablePrivateEndpointIds: ['vpce-1', 'vpce-2'],
  dataWarehouseId: 'da7a0000-0000-4000-8000-000000000001',
  isPrimary: true,
  isReadonly: false,
  byocId: 'byoc-1',
  hasTransparentDataEncryption: true,
  transparentDataEncryptionKeyId: 'tde-key',
  encryptionRoleId: 'tde-role',
};
const serviceFields = `id name engineVersion endpoints { protocol host port username }
  minTotalMemoryGb maxTotalMemoryGb minReplicaMemoryGb maxReplicaMemoryGb numReplicas idleScaling
  idleTimeoutMinutes ipAccessList { source description } createdAt encryptionKey
  encryptionAssumedRoleIdentifier iamRole privateEndpointIds availablePrivateEndpointIds
  dataWarehouseId isPrimary isReadonly byocId hasTransparentDataEncryption
  transparentDataEncryptionKeyId encryptionRoleId`;

const apiKey = {
  id: 'ce900000-0000-4000-8000-000000000001',
  name: 'reporting',
  roles: ['admin', 'developer', 'query_endpoints'],
  keySuffix: 'x9Yz',
  createdAt: '2026-11-03T09:30:00Z',
  expireAt: '2027-11-03T09:30:00Z',
  usedAt: '2026-11-04T10:00:00Z',
  ipAccessList: [{ source: '203.0.113.7', description: 'build server' }],
};

// The base64 SHA-256 and the doubled SHA-1 of "password".
const newPasswordHash = 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=';
const newDoubleSha1Hash = '2470c0c06dee42fd1618bb99005adca2ec9d1e19';

describeOperations('each organization operation is one exact call:', 'management', [
  {
    title: 'update an organization',
    document: `mutation { updateOrganization(input: {
      organizationId: "${organizationId}", name: "Größe & Co", privateEndpoints: {
        add: [{ id: "vpce-1", description: "office" }]
        remove: [{ id: "vpce-0", description: "old" }, { id: "vpce-9", description: "" }]
      }
    }) { organization { ${organizationFields} } userErrors { code } } }`,
    call: `PATCH ${organizationPath}`,
    body:
      '{"name":"Größe & Co","privateEndpoints":{"add":[{"id":"vpce-1","description":"office"}],' +
      '"remove":[{"id":"vpce-0","description":"old"},{"id":"vpce-9","description":""}]}}',
    answer: result(organization),
    data: { updateOrganization: { organization, userErrors: [] } },
  },
  {
    title: 'list the invitations',
    document: `{ organization(id: "${organizationId}") { invitations { id email createdAt expireAt } } }`,
    call: `GET ${organizationPath}/invitations`,
    answer: result([
      {
        id: '19f10000-0000-4000-8000-000000000001',
        email: 'ada@example.com',
        createdAt: '2026-10-01T00:00:00Z',
        expireAt: '2026-10-08T00:00:00Z',
      },
    ]),
    data: {
      organization: {
        invitations: [
          {
            id: '19f10000-0000-4000-8000-000000000001',
            email: 'ada@example.com',
            createdAt: '2026-10-01T00:00:00Z',
            expireAt: '2026-10-08T00:00:00Z',
          },
        ],
      },
    },
  },
  {
    title: 'create an API key',
    document: `mutation { createApiKey(input: {
      organizationId: "${organizationId}", name: "reporting", expireAt: "2027-11-03T09:30:00Z"
      state: DISABLED, roles: [ADMIN, DEVELOPER, QUERY_ENDPOINTS]
      hashData: { keyIdHash: "aWQ=", keyIdSuffix: "x9Yz", keySecretHash: "c2VjcmV0" }
      ipAccessList: [{ source: "203.0.113.7", description: "build server" }]
    }) {
      apiKey { id name roles keySuffix createdAt expireAt usedAt ipAccessList { source description } }
      keyId keySecret userErrors { code }
    } }`,
    call: `POST ${organizationPath}/keys`,
    body:
      '{"name":"reporting","expireAt":"2027-11-03T09:30:00Z","state":"disabled",' +
      '"hashData":{"keyIdHash":"aWQ=","keyIdSuffix":"x9Yz","keySecretHash":"c2VjcmV0"},' +
      '"roles":["admin","developer","query_endpoints"],' +
      '"ipAccessList":[{"source":"203.0.113.7","description":"build server"}]}',
    answer: result({ key: apiKey, keyId: 'the-key-id', keySecret: 'the-key-secret' }),
    data: {
      createApiKey: {
        apiKey: { ...apiKey, roles: ['ADMIN', 'DEVELOPER', 'QUERY_ENDPOINTS'] },
        keyId: 'the-key-id',
        keySecret: 'the-key-secret',
        userErrors: [],
      },
    },
  },
  {
    title: 'create an enabled API key',
    document: `mutation { createApiKey(input: {
      organizationId: "${organizationId}", state: ENABLED, roles: [DEVELOPER]
    }) { apiKey { name roles } } }`,
    call: `POST ${organizationPath}/keys`,
    body: '{"state":"enabled","roles":["developer"]}',
    answer: result({ key: { ...apiKey, roles: ['developer', 'auditor'] } }),
    data: { createApiKey: { apiKey: { name: 'reporting', roles: ['DEVELOPER', 'UNKNOWN'] } } },
  },
  {
    title: 'list the organizations (beyond the reference)',
    document: `{ organizations { ${organizationFields} } }`,
    call: 'GET /v1/organizations',
    answer: result([organization]),
    data: { organizations: [organization] },
  },
  {
    title: 'read an organization (beyond the reference)',
    document: `{ organization(id: "${organizationId}") { ${organizationFields} } }`,
    call: `GET ${organizationPath}`,
    answer: result(organization),
    data: { organization },
  },
]);

const serviceIds = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

describeOperations('each service operation is one exact call:', 'management', [
  {
    title: 'read a service',
    document: `{ service(${serviceIds}) { organizationId ${serviceFields} } }`,
    call: `GET ${servicePath}`,
    answer: result(service),
    data: { service: { organizationId, ...service } },
  },
  {
    title: 'scale a service',
    document: `mutation { updateServiceScaling(input: {
      ${serviceIds}, minTotalMemoryGb: 48, maxTotalMemoryGb: 360, numReplicas: 3
      idleScaling: false, idleTimeoutMinutes: 15
    }) { service { ${serviceFields} } userErrors { code } } }`,
    call: `PATCH ${servicePath}/scaling`,
    body:
      '{"minTotalMemoryGb":48,"maxTotalMemoryGb":360,"numReplicas":3,"idleScaling":false,' +
      '"idleTimeoutMinutes":15}',
    answer: result(service),
    data: { updateServiceScaling: { service, userErrors: [] } },
  },
  {
    title: 'set a password by its hashes',
    document: `mutation { updateServicePassword(input: {
      ${serviceIds}, newPasswordHash: "${newPasswordHash}", newDoubleSha1Hash: "${newDoubleSha1Hash}"
    }) { password userErrors { code } } }`,
    call: `PATCH ${servicePath}/password`,
    body:
      '{"newPasswordHash":"XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=",' +
      '"newDoubleSha1Hash":"2470c0c06dee42fd1618bb99005adca2ec9d1e19"}',
    answer: result({}),
    data: { updateServicePassword: { password: null, userErrors: [] } },
  },
  {
    title: 'have a password generated',
    document: `mutation { updateServicePassword(input: { ${serviceIds} }) {
      password userErrors { code }
    } }`,
    call: `PATCH ${servicePath}/password`,
    body: '{}',
    answer: result({ password: 'generated' }),
    data: { updateServicePassword: { password: 'generated', userErrors: [] } },
  },
  {
    title: 'read the backup configuration',
    document: `{ service(${serviceIds}) { backupConfiguration {
      backupPeriodInHours backupRetentionPeriodInHours backupStartTime
    } } }`,
    call: `GET ${servicePath}/backupConfiguration`,
    answer: result({
      backupPeriodInHours: 12,
      backupRetentionPeriodInHours: 168,
      backupStartTime: '02:30',
    }),
    data: {
      service: {
        backupConfiguration: {
          backupPeriodInHours: 12,
          backupRetentionPeriodInHours: 168,
          backupStartTime: '02:30',
        },
      },
    },
  },
  {
    title: 'list the services (beyond the reference)',
    document: `{ organization(id: "${organizationId}") { services { organizationId ${serviceFields} } } }`,
    call: `GET ${organizationPath}/services`,
    answer: result([service]),
    data: { organization: { services: [{ organizationId, ...service }] } },
  },
]);
