// One file: together they are smaller than the list of their parts in the first load.
export { RoleActivityPage } from './ActivityPage.tsx'
export { RolePage } from './RolePage.tsx'
