export { default as Echo } from 'laravel-echo';
export { default as Pusher } from 'pusher-js';
