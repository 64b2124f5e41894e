// One file: together they are smaller than the list of their parts in the first load.
export { ApplicationActivityPage } from './ApplicationActivityPage.tsx'
export { ApplicationPage } from './ApplicationPage.tsx'
