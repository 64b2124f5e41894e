// One file: together they are smaller than the list of their parts in the first load.
export { ApiActivityPage } from './ApiActivityPage.tsx'
export { ApiPage } from './ApiPage.tsx'
