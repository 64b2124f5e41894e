// One file: together they are smaller than the list of their parts in the first load.
export { ConnectCallbackPage } from './ConnectCallbackPage.tsx'
export { ConnectPage, ConnectServicePage } from './ConnectPage.tsx'
export { UndoMovePage } from './UndoMovePage.tsx'
