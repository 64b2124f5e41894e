// One file: together they are smaller than the list of their parts in the first load.
export { ProductsPage } from './ProductsPage.tsx'
export { SubscriptionsPage } from './SubscriptionsPage.tsx'
