// One file: together they are smaller than the list of their parts in the first load.
export { TenantDiscoveryPage } from '../discovery/TenantDiscoveryPage.tsx'
export { CreateEntraPage } from '../entra/CreateEntraPage.tsx'
export { OrgEntraPage } from '../orgs/EntraPage.tsx'
export { OrgProvisioningPage } from '../orgs/ProvisioningPage.tsx'
