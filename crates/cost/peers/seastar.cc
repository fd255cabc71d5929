// SPDX-License-Identifier: MIT OR Apache-2.0
// Seastar's fair_queue in the closed loop: a class with one share for each process, requests of
// equal cost. Its entries live with the requests; time is no business of it.

#include "closed_loop.hh"
#include <seastar/core/fair_queue.hh>
#include <seastar/util/assert.hh>
#include <vector>

// What its assertions call is in its library, of which nothing else is needed.
void seastar::internal::assert_fail(const char *, const char *, int, const char *) {
    std::abort();
}

namespace {

struct Entry : seastar::fair_queue_entry {
    Request request;

    Entry() : fair_queue_entry(1), request{} {}
};

class Peer {
    seastar::fair_queue queue{seastar::fair_queue::config{}};
    std::vector<Entry> entries;

  public:
    explicit Peer(std::uint32_t processes) : entries(processes * PROCESS_DEPTH) {
        for (std::uint32_t process = 0; process < processes; process++) {
            queue.register_priority_class(process, 1);
        }
    }

    void insert(const Request &request, double) {
        Entry &entry = entries[request.place];
        entry.request = request;
        queue.queue(request.process, entry);
    }

    bool dispatch(Request &request, double) {
        auto *entry = static_cast<Entry *>(queue.top());
        if (entry == nullptr) {
            return false;
        }
        queue.pop_front();
        request = entry->request;
        return true;
    }
};

} // namespace

int main(int count, char **arguments) { return closed_loop<Peer>(count, arguments); }
