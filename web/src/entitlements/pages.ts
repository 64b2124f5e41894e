// One file: together they are smaller than the list of their parts in the first load.
export { CreateEntitlementPage } from './CreateEntitlementPage.tsx'
export { EntitlementActivityPage } from './EntitlementActivityPage.tsx'
export { EntitlementsPage } from './EntitlementsPage.tsx'
export { GrantsPage } from './GrantsPage.tsx'
export { LedgerPage } from './LedgerPage.tsx'
export { SettingsPage } from './SettingsPage.tsx'
export { UsagePage } from './UsagePage.tsx'
