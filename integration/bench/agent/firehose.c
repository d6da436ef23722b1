/* firehose: an ACP agent that does nothing but produce load.
 *
 *   firehose --data FILE --mode MODE --n N        speaks over stdin and stdout
 *   firehose --ws ...                             listens on 127.0.0.1, prints "PORT <p>", serves one connection
 *   firehose --blast --data FILE                  writes FILE and ends: how fast the generator itself is
 *
 * FILE holds one JSON-RPC message a line, serialised beforehand; for --ws the frames are built before the connection is
 * accepted. Modes, all started by session/prompt:
 *
 *   stream   write FILE, end the turn
 *   multi    the same once N prompts are open
 *   perm     write FILE (N permission requests), end the turn when all N are answered
 *   paced    write FILE in slices that end behind a permission request, one every PACE seconds; end the turn when all N
 *            are answered. The longest wait for an answer counts from the moment the slice was handed to the kernel.
 *
 * What it measured travels in the _meta of the end of the turn.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 65536
#define PACE 0.1

static int ws, v2, in_fd = 0, out_fd = 1;
static const char *mode = "stream";
static long wanted = 1;

static void die(const char *what) {
    perror(what);
    exit(2);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

/* ---------- what is to be written ---------- */

typedef struct {
    char *bytes;
    size_t length, done;
    int owned;
} Segment;

static Segment *queue;
static size_t queue_head, queue_tail, queue_room;

static void enqueue(char *bytes, size_t length, int owned) {
    if (queue_tail == queue_room) {
        queue_room = queue_room ? queue_room * 2 : 1024;
        queue = realloc(queue, queue_room * sizeof *queue);
    }
    queue[queue_tail++] = (Segment){bytes, length, 0, owned};
}

/* Replies are gathered and leave together. */
static char *replies;
static size_t replies_length, replies_room;

static void gather(const void *bytes, size_t n) {
    if (replies_length + n > replies_room) {
        replies_room = (replies_length + n) * 2 + 4096;
        replies = realloc(replies, replies_room);
    }
    memcpy(replies + replies_length, bytes, n);
    replies_length += n;
}

static void flush_replies(void) {
    if (!replies_length) return;
    enqueue(replies, replies_length, 1);
    replies = NULL;
    replies_length = replies_room = 0;
}

static size_t frame_header(unsigned char *h, size_t n, int opcode) {
    h[0] = 0x80 | opcode;
    if (n < 126) {
        h[1] = n;
        return 2;
    }
    if (n < 65536) {
        h[1] = 126;
        h[2] = n >> 8;
        h[3] = n;
        return 4;
    }
    h[1] = 127;
    for (int i = 0; i < 8; i++) h[2 + i] = (uint64_t)n >> (56 - 8 * i);
    return 10;
}

static void send_message(const char *text, size_t n) {
    if (ws) {
        unsigned char h[10];
        gather(h, frame_header(h, n, 1));
        gather(text, n);
    } else {
        gather(text, n);
        gather("\n", 1);
    }
}

static double handed_at[4096]; /* when the kernel had taken a part of the workload */
static size_t handed;

static void slice_handed_over(void) {
    if (handed < sizeof handed_at / sizeof *handed_at) handed_at[handed++] = now();
}

/* Write what the peer takes; 1 while something is left. */
static int pump(void) {
    while (queue_head < queue_tail) {
        Segment *s = &queue[queue_head];
        size_t n = s->length - s->done;
        if (n > BLOCK) n = BLOCK;
        ssize_t w = write(out_fd, s->bytes + s->done, n);
        if (w < 0) {
            if (errno == EAGAIN || errno == EINTR) return 1;
            exit(0);
        }
        s->done += w;
        if (s->done == s->length) {
            if (s->owned) free(s->bytes);
            else slice_handed_over();
            queue_head++;
        } else if ((size_t)w < n) {
            return 1;
        }
    }
    queue_head = queue_tail = 0;
    return 0;
}

/* ---------- the workload ---------- */

static char *data;
static size_t data_length;
static size_t *cuts; /* paced: ends of the slices */
static size_t cut_count, cut_room;

static void cut_here(const char *line, size_t n) {
    if (strcmp(mode, "paced") || !memmem(line, n < 80 ? n : 80, "session/request_permission", 26)) return;
    if (cut_count == cut_room) cuts = realloc(cuts, (cut_room = cut_room * 2 + 64) * sizeof *cuts);
    cuts[cut_count++] = data_length;
}

static void load(const char *path) {
    int fd = open(path, O_RDONLY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) die(path);
    char *raw = malloc(st.st_size + 1);
    size_t got = 0;
    while (got < (size_t)st.st_size) {
        ssize_t r = read(fd, raw + got, st.st_size - got);
        if (r <= 0) die(path);
        got += r;
    }
    close(fd);
    size_t lines = 0;
    for (char *p = raw; p < raw + got; p++) lines += *p == '\n';
    data = ws ? malloc(got + lines * 10) : raw;
    for (char *p = raw, *end = raw + got; p < end;) {
        size_t n = (char *)memchr(p, '\n', end - p) - p;
        if (ws) {
            data_length += frame_header((unsigned char *)data + data_length, n, 1);
            memcpy(data + data_length, p, n);
            data_length += n;
        } else {
            data_length += n + 1;
        }
        cut_here(p, n);
        p += n + 1;
    }
    if (ws) free(raw);
}

/* ---------- the agent ---------- */

typedef struct {
    const char *at;
    size_t n;
} Slice;

/* Find four keys of the outermost object without parsing the rest. */
static void scan(const char *s, size_t n, Slice *id, Slice *method) {
    *id = *method = (Slice){NULL, 0};
    size_t i = 0;
    while (i < n && s[i] != '{') i++;
    i++;
    while (i < n) {
        while (i < n && s[i] != '"' && s[i] != '}') i++;
        if (i >= n || s[i] == '}') return;
        size_t key = ++i;
        while (i < n && s[i] != '"') i += (s[i] == '\\') ? 2 : 1;
        size_t key_length = i - key;
        i++;
        while (i < n && (s[i] == ':' || s[i] == ' ')) i++;
        size_t value = i;
        for (int depth = 0; i < n; i++) {
            char c = s[i];
            if (c == '"') {
                i++;
                while (i < n && s[i] != '"') i += (s[i] == '\\') ? 2 : 1;
            } else if (c == '{' || c == '[') {
                depth++;
            } else if (c == '}' || c == ']') {
                if (depth == 0) break;
                depth--;
            } else if (c == ',' && depth == 0) {
                break;
            }
        }
        Slice found = {s + value, i - value};
        if (key_length == 2 && !memcmp(s + key, "id", 2)) *id = found;
        if (key_length == 6 && !memcmp(s + key, "method", 6)) *method = found;
    }
}

static int is(Slice method, const char *name) {
    size_t n = strlen(name);
    return method.n == n + 2 && !memcmp(method.at + 1, name, n);
}

static char **prompts; /* ids of the open ones */
static size_t prompt_count;
static long sessions, answers, cancelled;
static double first_at, cancel_at, next_slice_at, longest_answer;
static size_t slices_sent;

static void reply(Slice id, const char *result) {
    char *text;
    int n = asprintf(&text, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":%s}", (int)id.n, id.at, result);
    send_message(text, n);
    free(text);
}

static void end_turns(const char *meta) {
    char text[640];
    for (size_t i = 0; i < prompt_count; i++) {
        if (v2) {
            int n = snprintf(text, sizeof text,
                             "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"sess_%06zu\","
                             "\"update\":{\"sessionUpdate\":\"state_update\",\"state\":\"idle\",\"stopReason\":\"%s\"},"
                             "\"_meta\":%s}}",
                             i, cancel_at ? "cancelled" : "end_turn", meta);
            send_message(text, n);
        } else {
            snprintf(text, sizeof text, "{\"stopReason\":\"%s\",\"_meta\":%s}", cancel_at ? "cancelled" : "end_turn", meta);
            reply((Slice){prompts[i], strlen(prompts[i])}, text);
        }
        free(prompts[i]);
    }
    prompt_count = 0;
}

static void on_initialize(Slice id, const char *s, size_t n) {
    const char *version = memmem(s, n, "\"protocolVersion\"", 17);
    if (version) {
        version += 17;
        while (*version == ':' || *version == ' ') version++;
    }
    v2 = version && *version == '2';
    reply(id, v2 ? "{\"protocolVersion\":2,\"info\":{\"name\":\"firehose\",\"version\":\"1\"},"
                   "\"capabilities\":{\"session\":{}},\"authMethods\":[]}"
                 : "{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":false},\"authMethods\":[]}");
}

static void on_prompt(Slice id) {
    if (v2) reply(id, "{\"messageId\":\"m_1\"}");
    prompts = realloc(prompts, (prompt_count + 1) * sizeof *prompts);
    prompts[prompt_count++] = strndup(id.at, id.n);
    int several = !strcmp(mode, "multi");
    if (several && (long)prompt_count < wanted) return;
    flush_replies();
    first_at = now();
    if (!strcmp(mode, "paced")) {
        next_slice_at = first_at;
        return;
    }
    enqueue(data, data_length, 0);
    if (several || !strcmp(mode, "stream")) end_turns("{}");
}

static void on_answer(const char *s, size_t n) {
    double t = now();
    if (next_slice_at && answers < (long)handed && t - handed_at[answers] > longest_answer)
        longest_answer = t - handed_at[answers]; /* answers come in the order of the slices */
    answers++;
    if (memmem(s, n, "\"cancelled\"", 11)) cancelled++;
    if (answers < wanted || !prompt_count) return;
    char meta[240];
    snprintf(meta, sizeof meta,
             "{\"answers\":%ld,\"cancelled\":%ld,\"sinceFirstMs\":%.3f,\"sinceCancelMs\":%.3f,\"longestAnswerMs\":%.3f}",
             answers, cancelled, (t - first_at) * 1e3, cancel_at ? (t - cancel_at) * 1e3 : -1.0, longest_answer * 1e3);
    end_turns(meta);
}

static void on_message(const char *s, size_t n) {
    Slice id, method;
    scan(s, n, &id, &method);
    if (method.at && id.at) {
        if (is(method, "initialize")) {
            on_initialize(id, s, n);
        } else if (is(method, "session/new")) {
            char result[64];
            snprintf(result, sizeof result, "{\"sessionId\":\"sess_%06ld\"}", sessions++);
            reply(id, result);
        } else if (is(method, "session/prompt")) {
            on_prompt(id);
        } else {
            reply(id, "{}");
        }
    } else if (method.at) {
        if (is(method, "session/cancel")) cancel_at = now();
    } else if (id.at) {
        on_answer(s, n);
    }
}

/* paced: milliseconds until the next slice is due, after sending it if it is. */
static int send_slice(void) {
    if (!next_slice_at || slices_sent == cut_count) return -1;
    double wait = next_slice_at - now();
    if (wait > 0) return (int)(wait * 1e3) + 1;
    size_t start = slices_sent ? cuts[slices_sent - 1] : 0;
    enqueue(data + start, cuts[slices_sent] - start, 0);
    slices_sent++;
    next_slice_at += PACE;
    return send_slice();
}

/* ---------- WebSocket, the server's half, no more than a benchmark needs ---------- */

static uint32_t rotate(uint32_t x, int n) { return x << n | x >> (32 - n); }

static void sha1(const unsigned char *message, size_t length, unsigned char out[20]) {
    uint32_t h[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    size_t total = ((length + 8) / 64 + 1) * 64;
    unsigned char *block = calloc(total, 1);
    memcpy(block, message, length);
    block[length] = 0x80;
    for (int i = 0; i < 8; i++) block[total - 1 - i] = (uint64_t)length * 8 >> (8 * i);
    for (size_t o = 0; o < total; o += 64) {
        uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
        for (int i = 0; i < 16; i++) {
            unsigned char *p = block + o + 4 * i;
            w[i] = (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
        }
        for (int i = 16; i < 80; i++) w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
        for (int i = 0; i < 80; i++) {
            uint32_t f, k;
            if (i < 20) f = (b & c) | (~b & d), k = 0x5A827999;
            else if (i < 40) f = b ^ c ^ d, k = 0x6ED9EBA1;
            else if (i < 60) f = (b & c) | (b & d) | (c & d), k = 0x8F1BBCDC;
            else f = b ^ c ^ d, k = 0xCA62C1D6;
            uint32_t t = rotate(a, 5) + f + e + k + w[i];
            e = d, d = c, c = rotate(b, 30), b = a, a = t;
        }
        h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
    }
    free(block);
    for (int i = 0; i < 20; i++) out[i] = h[i / 4] >> (24 - 8 * (i % 4));
}

static void base64(const unsigned char *in, size_t n, char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = in[i] << 16 | (i + 1 < n ? in[i + 1] << 8 : 0) | (i + 2 < n ? in[i + 2] : 0);
        *out++ = digits[v >> 18];
        *out++ = digits[v >> 12 & 63];
        *out++ = i + 1 < n ? digits[v >> 6 & 63] : '=';
        *out++ = i + 2 < n ? digits[v & 63] : '=';
    }
    *out = 0;
}

static char *input;
static size_t input_length, input_room, input_done;

static void handshake(void) {
    char head[8192];
    size_t n = 0;
    for (head[0] = 0; !strstr(head, "\r\n\r\n");) {
        ssize_t r = read(in_fd, head + n, sizeof head - 1 - n);
        if (r <= 0) exit(1);
        head[n += r] = 0;
    }
    char *key = strcasestr(head, "sec-websocket-key:");
    if (!key) exit(1);
    key += 18;
    while (*key == ' ') key++;
    char joined[128];
    int length = snprintf(joined, sizeof joined, "%.*s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", (int)strcspn(key, "\r\n"), key);
    unsigned char digest[20];
    char accept_key[64], answer[256];
    sha1((unsigned char *)joined, length, digest);
    base64(digest, 20, accept_key);
    length = snprintf(answer, sizeof answer,
                      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Accept: %s\r\n\r\n",
                      accept_key);
    if (write(out_fd, answer, length) != length) exit(1);
    char *rest = strstr(head, "\r\n\r\n") + 4;
    input_length = head + n - rest;
    memcpy(input, rest, input_length);
}

static void control(int opcode, const unsigned char *payload, size_t n) {
    unsigned char h[10];
    gather(h, frame_header(h, n, opcode));
    gather(payload, n);
}

static void read_frames(void) {
    while (input_length - input_done >= 2) {
        unsigned char *p = (unsigned char *)input + input_done;
        size_t have = input_length - input_done, head = 2;
        uint64_t n = p[1] & 127;
        if (n == 126) {
            if (have < 4) break;
            n = p[2] << 8 | p[3];
            head = 4;
        } else if (n == 127) {
            if (have < 10) break;
            n = 0;
            for (int i = 0; i < 8; i++) n = n << 8 | p[2 + i];
            head = 10;
        }
        unsigned char *mask = NULL;
        if (p[1] & 128) {
            mask = p + head;
            head += 4;
        }
        if (have < head + n) break;
        unsigned char *payload = p + head;
        for (uint64_t i = 0; mask && i < n; i++) payload[i] ^= mask[i & 3];
        int opcode = p[0] & 15;
        if (opcode == 1 || opcode == 2) on_message((char *)payload, n);
        else if (opcode == 9) control(10, payload, n);
        else if (opcode == 8) {
            control(8, payload, n);
            flush_replies();
            while (pump()) poll(&(struct pollfd){out_fd, POLLOUT, 0}, 1, 1000);
            exit(0);
        }
        input_done += head + n;
    }
}

static void read_lines(void) {
    for (;;) {
        char *end = memchr(input + input_done, '\n', input_length - input_done);
        if (!end) return;
        size_t n = end - (input + input_done);
        if (n) on_message(input + input_done, n);
        input_done += n + 1;
    }
}

static void read_more(void) {
    if (input_room - input_length < BLOCK) input = realloc(input, input_room *= 2);
    ssize_t r = read(in_fd, input + input_length, input_room - input_length);
    if (r == 0) exit(0);
    if (r < 0) {
        if (errno == EAGAIN || errno == EINTR) return;
        exit(0);
    }
    input_length += r;
    if (ws) read_frames();
    else read_lines();
    memmove(input, input + input_done, input_length - input_done);
    input_length -= input_done;
    input_done = 0;
}

static void listen_once(void) {
    int s = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof a;
    if (bind(s, (void *)&a, length) || listen(s, 1) || getsockname(s, (void *)&a, &length)) die("listen");
    printf("PORT %d\n", ntohs(a.sin_port));
    fflush(stdout);
    in_fd = out_fd = accept(s, NULL, NULL);
    if (in_fd < 0) die("accept");
    setsockopt(out_fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    handshake();
}

int main(int argc, char **argv) {
    const char *file = NULL;
    int blast = 0;
    for (int i = 1; i < argc; i++) {
        int more = i + 1 < argc;
        if (!strcmp(argv[i], "--ws")) ws = 1;
        else if (!strcmp(argv[i], "--blast")) blast = 1;
        else if (more && !strcmp(argv[i], "--data")) file = argv[++i];
        else if (more && !strcmp(argv[i], "--mode")) mode = argv[++i];
        else if (more && !strcmp(argv[i], "--n")) wanted = atol(argv[++i]);
        else {
            fprintf(stderr, "unknown argument %s\n", argv[i]);
            return 2;
        }
    }
    if (file) load(file);
    if (blast) {
        enqueue(data, data_length, 0);
        while (pump()) poll(&(struct pollfd){out_fd, POLLOUT, 0}, 1, -1);
        return 0;
    }
    input = malloc(input_room = 1 << 20);
    if (ws) listen_once();
    fcntl(out_fd, F_SETFL, fcntl(out_fd, F_GETFL) | O_NONBLOCK);
    if (ws) read_frames();
    for (;;) {
        int wait = send_slice();
        flush_replies();
        int busy = pump();
        struct pollfd f[2] = {{in_fd, POLLIN, 0}, {out_fd, POLLOUT, 0}};
        poll(f, busy ? 2 : 1, wait);
        if (f[0].revents) read_more();
    }
}
